export { RESOURCES_NOT_HERE, TemplateEnvironment } from './environment.ts'
export type { EnvironmentOptions, JetRenderer, ResourceValues, StrictOptions, ValueMap } from './environment-options.ts'
export type { ReadTemplateFile } from './functions.ts'
export {
  BudgetError,
  ForbiddenError,
  isForbidden,
  missingValueIn,
  MissingValueError,
  TemplateError,
} from '../../templates/errors.ts'
export { expandMatch, expandString, expandTyped } from './expand.ts'
export type { Evaluator, MatchedText } from './expand.ts'
export { factsOfSource, factsOfString, syntaxErrorOf, unionOfFacts, type FactFamilies } from './fact-families.ts'
export { readsOfSource, readsOfString, type ResourceRead } from './resource-reads.ts'
export { type Complete, createRemoteValues, type RemoteValues } from './remote-values.ts'
export { scanTemplate, type Segment } from './scan.ts'
export type { UnreadValue } from './strict-values.ts'
export { ANY_SHAPE, listShape, type MapShape, mapShape, type Shape } from './shape.ts'
export { type MemberRead, memberReadsOfSource, memberReadsOfString } from './member-reads.ts'
export type { MissingTest } from './member-check.ts'
