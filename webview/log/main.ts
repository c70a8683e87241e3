import '../localize';
import './log.css';
import { readHostToLog, readLogFilter } from '../../src/protocol/pages/log';
import { createBridge, pageRoot } from '../bridge';
import { LogPage } from './log-page';

new LogPage(pageRoot('log'), createBridge(window, { message: readHostToLog, saved: readLogFilter })).start();
