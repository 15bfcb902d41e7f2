// What the runner needs to make values for templates out of recorded ones.
export * from '../../src/templates/govalue/index.ts'
export { TemplateError } from '../../src/templates/errors.ts'
