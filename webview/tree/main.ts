import '../localize';
import './tree.css';
import { readHostToTree } from '../../src/protocol/session-tree';
import { createBridge, pageRoot } from '../bridge';
import { TreePage } from './tree-page';

new TreePage(pageRoot('tree'), createBridge(window, { message: readHostToTree })).start();
