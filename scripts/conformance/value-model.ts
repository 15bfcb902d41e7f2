// What the runner needs to make values for templates out of recorded ones.
export * from '../../src/template/govalue/index.ts'
export { TemplateError } from '../../src/template/errors.ts'
