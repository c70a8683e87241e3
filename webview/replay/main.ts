import '../localize';
import './replay.css';
import { readHostToReplay } from '../../src/protocol/pages/replay';
import { createBridge, pageRoot } from '../bridge';
import { ReplayPage } from './replay-page';

new ReplayPage(pageRoot('replay'), createBridge(window, { message: readHostToReplay })).start();
