import { differenceInError } from './expected-error.mjs'
import { decodeTagged, describeValue, sameValue } from './tagged.mjs'

/** Expressions: what they give and how they fail. */
export const expr = {
  name: 'expr',
  entry: 'src/templates/expr/index.ts',
  skip: ({ kind }) =>
    kind === 'ast' || kind === 'tokens' ? 'syntax trees and tokens are internal to the other program' : undefined,
  run({ expr: module, govalue }, recorded) {
    const work = () => evaluate(module, recorded, govalue)
    if (recorded.kind === 'error') return differenceInError(recorded.error, work)
    const wanted = decodeTagged(recorded.expect, govalue)
    const found = work()
    return sameValue(wanted, found) ? undefined : `want ${describeValue(wanted)}, found ${describeValue(found)}`
  },
}

function evaluate(module, { template, data = {}, options = {} }, govalue) {
  const variables = decodeTagged({ ...data }, govalue)
  const compiled = module.compileExpression(template, {
    environment: new Map([...variables].map(([name, value]) => [name, module.typeOfValue(value)])),
    undefinedNames: options.strict === false ? 'nil' : 'error',
    result: options.as === 'bool' ? 'bool' : 'any',
    checks: options.mode === undefined ? 'types' : 'none',
  })
  return module.evaluateExpression(compiled, { variables })
}
