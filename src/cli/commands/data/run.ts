import { Document, isCollection, isMap, isNode, isScalar } from 'yaml'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { type DataMap, traceValues } from '../../../policy/data/merge.ts'
import { yamlText } from '../../../policy/document/yaml-text.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import { redactValue } from '../../../policy/secrets/redact-value.ts'
import { createRedactor } from '../../../policy/secrets/redactor.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { type GoValue, toPlain } from '../../../templates/govalue/index.ts'
import { withOne } from '../../load-one.ts'
import { loadingOf } from '../../options/loading.ts'
import type { Io } from '../../output/io.ts'
import { toJson, toYaml } from '../../output/show-value.ts'
import type { DataInvocation } from './index.ts'
import { parametersOf } from '../../../policy/read/parameters.ts'
import { textOfNode } from '../../../policy/catalogue/nodes.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'

/** Prints the template data and returns the exit code. */
export async function runData({ operands, options }: DataInvocation, io: Io): Promise<number> {
  const [source = ''] = operands
  const loading = await loadingOf([source], options, 'data', io)
  const code = await withOne({ ...loading, source, beside: '' }, async (document) => {
    const { evaluation } = document
    if (evaluation === undefined) return EXIT.notPerformed
    refuseUnshown(evaluation)
    const { json, trace, parameters, 'show-secrets': showsSecrets } = options
    if (parameters) {
      const described = redactValue(describeParameters(document), createRedactor(evaluation.secrets))
      await io.print(json ? toJson(described) : toYaml(described))
      return EXIT.ok
    }
    const secrets = showsSecrets ? 'show' : 'hide'
    await io.print(showData(evaluation, { format: json ? 'json' : 'yaml', trace, secrets }))
    return EXIT.ok
  })
  return code ?? EXIT.notPerformed
}

/** A data template can yield a value without text, such as an uncalled function. */
function refuseUnshown({ layers }: Evaluation): void {
  for (const { path, value } of traceValues(layers)) {
    try {
      toPlain(value)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const key = escapeForTerminal(path.join('.'))
      throw new OperatorError(`data.${key}: ${error.message}: the template must produce a value`, { cause: error })
    }
  }
}

interface ShowDataOptions {
  readonly format: 'yaml' | 'json'
  /** Print the origin of every value. */
  readonly trace: boolean
  readonly secrets: 'hide' | 'show'
}

/** Formats the resolved data of a policy. */
function showData(evaluation: Evaluation, options: ShowDataOptions): string {
  const { format, trace, secrets } = options
  const redactor = createRedactor(secrets === 'hide' ? evaluation.secrets : [])
  const shown = (value: GoValue): GoValue => redactValue(value, redactor)
  const { data, layers } = evaluation
  if (!trace) return format === 'json' ? toJson(shown(data)) : toYaml(shown(data))
  const traced = traceValues(layers).map(({ path, value, origins }) => ({ path, value: shown(value), origins }))
  if (format === 'yaml') return withComments(data, shown, traced)
  return toJson(traced.map((entry) => new Map<GoValue, GoValue>(Object.entries(entry))))
}

interface Traced {
  readonly path: readonly string[]
  readonly origins: readonly string[]
}

/** YAML with origins as comments: after a value, and above the items of a list. */
function withComments(data: DataMap, shown: (value: GoValue) => GoValue, traced: readonly Traced[]): string {
  const document = new Document(toPlain(shown(data)), { aliasDuplicateObjects: false })
  const origins = new Map(traced.map((entry) => [entry.path.join('\0'), entry.origins]))
  const walk = (node: unknown, path: readonly string[]): void => {
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      const inner = [...path, isScalar(key) ? String(key.value) : '']
      const found = origins.get(inner.join('\0'))
      if (found === undefined) walk(value, inner)
      else if (isNode(value)) {
        const comment = ` ${found.map(escapeForTerminal).join(', ')}`
        if (isCollection(value) && value.items.length > 0) value.commentBefore = comment
        else value.comment = comment
      }
    }
  }
  walk(document.contents, [])
  return yamlText(document)
}

/**
 * The parameters of a policy that its resources read, by name: meaning, accepted values, the value, the default where
 * that differs, and the controls that read it.
 */
function describeParameters({ root, policy, written, evaluation }: PolicyDocument): GoValue {
  const texts = new Map(
    [...written].map(([id, { body }]) => [id, [...body.values()].map(({ value }) => textOfNode(value)).join('\n')]),
  )
  const described = new Map<GoValue, GoValue>()
  for (const { name, meaning, oneOf } of parametersOf(root) ?? []) {
    const pattern = new RegExp(String.raw`\bdata\.${name}\b`, 'i')
    const readers = new Set([...texts].flatMap(([id, text]) => (pattern.test(text) ? [id] : [])))
    if (readers.size === 0) continue
    const value = evaluation?.data.get(name) ?? null
    const own = evaluation?.ownData.get(name) ?? null
    const controls = policy.controls.filter(({ resources }) => resources.some((id) => readers.has(id)))
    described.set(
      name,
      new Map<GoValue, GoValue>([
        ['meaning', meaning],
        ...(oneOf === undefined ? [] : [['one_of', oneOf] as const]),
        ['value', value],
        ...(value === own ? [] : [['default', own] as const]),
        ['controls', controls.map(({ id }) => id)],
      ]),
    )
  }
  return described
}
