/** As hooks import it (reference section 2.2); resources of the agent are read with the same reader. */
export { parseFrontmatter, stripFrontmatter } from '../../../base/frontmatter';
