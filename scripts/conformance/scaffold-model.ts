// What the runner needs to render recorded directories on this machine and in memory.
export { decodeProperties } from '../../src/resource-type/decode.ts'
export { choria } from '../../src/resources/scaffold/choria.ts'
export { decideScaffold } from '../../src/resources/scaffold/decide.ts'
export { scaffold } from '../../src/resources/scaffold/index.ts'
export { NO_JOURNAL } from '../../src/target/local/journal.ts'
export { createLocalRemediator } from '../../src/target/local/local-remediator.ts'
export { createLocalTarget } from '../../src/target/local/local-target.ts'
export { renderScaffold } from '../../src/template/scaffold/index.ts'
