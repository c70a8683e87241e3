import '../localize';
import './tree.css';
import { readHostToTree } from '../../src/protocol/pages/session-tree';
import { createBridge, pageRoot } from '../bridge';
import { readTreeFilter } from './layout';
import { TreePage } from './tree-page';

new TreePage(pageRoot('tree'), createBridge(window, { message: readHostToTree, saved: readTreeFilter })).start();
