// What the runner needs to expand recorded strings, and data as a policy has it.
export { readDocument } from '../../src/policy/document/read-document.ts'
export { sourceText } from '../../src/policy/document/lines.ts'
export { expandNode } from '../../src/policy/expand/expand-node.ts'
export {
  expandMatch,
  expandString,
  expandTyped,
  scanTemplate,
  TemplateEnvironment,
} from '../../src/policy/template/index.ts'
