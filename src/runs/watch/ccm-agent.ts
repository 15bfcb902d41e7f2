import { defined } from '../../model/defined.ts'
import { parseDuration } from '../../model/duration.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { holdsUrlSecret } from '../../model/url-secrets.ts'
import { checkKeys, type Reading, readForm, addProblem } from '../../policy/document/form.ts'
import { errorAt, type SourceText } from '../../policy/document/lines.ts'
import { isGiven, textOf, type TreeMap, type TreeNode } from '../../policy/document/tree.ts'

/** Settings of a CCM agent that an audit can follow. */
export interface CcmAgent {
  /** Paths and URLs, in operand syntax. */
  readonly manifests: readonly [string, ...string[]]
  /** In the syntax of `--every`. */
  readonly interval: string
  /** Data that overrides that of each manifest. */
  readonly data?: string
  /** NATS context. */
  readonly context?: string
  readonly loudness: 'verbose' | 'normal' | 'quiet'
  /** Settings that do not apply to an audit, with positions and advice. */
  readonly passedOver: readonly Problem[]
}

const KEYS = [
  'interval',
  'health_check_interval',
  'manifests',
  'external_data_url',
  'cache_dir',
  'monitor_port',
  'log_level',
  'nats_context',
  'registration',
] as const

type Key = (typeof KEYS)[number]

/** Default interval of the agent, and its minimum. */
const INTERVAL = '5m'
const LEAST_INTERVAL_MS = 30_000

const LOUDNESS = { debug: 'verbose', info: 'normal', warn: 'quiet', error: 'quiet' } as const

/**
 * Reads the configuration of a CCM agent, YAML or JSON. Every key is used, listed in `passedOver`, or refused.
 *
 * @see https://github.com/choria-io/ccm, agent/config.go
 */
export function readCcmAgent(file: string, text: string): Result<CcmAgent> {
  const read = readForm({ file, text, what: 'config' }, (root, reading) => {
    hideAddresses(reading.source)
    if (root.kind === 'map') return agentOf(root, reading)
    addProblem(reading, root, 'an agent configuration must be a map with the key "manifests"')
    return undefined
  })
  if (!read.ok) return read
  // Invalid agents have a problem.
  if (read.value === undefined) throw new Error(`${file}: the agent configuration has no manifests`)
  return { ...read, value: read.value }
}

/** URLs may contain passwords, which messages must not show. */
function hideAddresses({ text, secrets }: SourceText): void {
  for (const [index, line] of text.split('\n').entries()) if (line.includes('://')) secrets.lines.add(index + 1)
}

function agentOf(root: TreeMap, reading: Reading): CcmAgent | undefined {
  checkKeys(root, KEYS, reading)
  const value = (key: Key): TreeNode | undefined => {
    const node = root.entries.get(key)?.value
    return node !== undefined && isGiven(node) ? node : undefined
  }
  const interval = spanOf(value('interval'), 'interval', reading)
  if (interval !== undefined && (parseDuration(interval) ?? 0) < LEAST_INTERVAL_MS) {
    addProblem(reading, value('interval') ?? root, 'interval must be at least 30s, as in the agent')
  }
  spanOf(value('health_check_interval'), 'health_check_interval', reading)
  const passedOver = Object.entries(PASSED_OVER).flatMap(([key, message]) => {
    const node = root.entries.get(key)
    const isSaid = node !== undefined && isGiven(node.value) && textOf(node.value) !== '0'
    return isSaid
      ? [{ ...errorAt(reading.source, node.keyOffset, `${key}: ${message}`), severity: 'warning' as const }]
      : []
  })
  const loudness = oneOf(value('log_level'), LOUDNESS, { key: 'log_level', reading }) ?? 'normal'
  oneOf(value('registration'), { nats: true, jetstream: true }, { key: 'registration', reading })
  const context = givenText(value('nats_context'), 'nats_context', reading)
  const data = dataOf(value('external_data_url'), reading)
  const [first, ...others] = manifestsOf(value('manifests') ?? root, reading)
  if (first === undefined) return undefined
  return {
    manifests: [first, ...others],
    interval: interval ?? INTERVAL,
    ...defined({ data, context }),
    loudness,
    passedOver,
  }
}

const PASSED_OVER: Readonly<Partial<Record<Key, string>>> = {
  health_check_interval:
    'health checks run with every audit, at "interval"; to run them more often, start "driftgate watch --monitor-only --every DURATION" as well',
  cache_dir: 'no cache: every audit fetches its inputs',
  monitor_port: 'no port is opened: use --metrics to write a file for Prometheus',
  registration: 'audits do not publish: use "driftgate scan --fix --register"',
}

function spanOf(node: TreeNode | undefined, key: Key, reading: Reading): string | undefined {
  if (node === undefined) return undefined
  const text = textOf(node) ?? ''
  if (text !== '' && parseDuration(text) !== undefined) return text
  addProblem(reading, node, `${key} must be a duration such as 5m or 1h30m`)
  return undefined
}

interface KeyReading {
  readonly key: Key
  readonly reading: Reading
}

function oneOf<Value>(
  node: TreeNode | undefined,
  values: Readonly<Record<string, Value>>,
  { key, reading }: KeyReading,
): Value | undefined {
  if (node === undefined) return undefined
  const text = textOf(node) ?? ''
  if (Object.hasOwn(values, text)) return values[text]
  addProblem(reading, node, `${key} must be one of ${Object.keys(values).join(', ')}`)
  return undefined
}

function givenText(node: TreeNode | undefined, key: Key, reading: Reading): string | undefined {
  const text = textOf(node)
  if (node !== undefined && (text === undefined || text === '')) addProblem(reading, node, `${key} must be a string`)
  return text
}

function dataOf(node: TreeNode | undefined, reading: Reading): string | undefined {
  const text = givenText(node, 'external_data_url', reading)
  if (node === undefined || text === undefined) return undefined
  const complaint = complaintOf(text, /^(?:kv|https?):\/\//i, 'kv:// and http(s)://')
  if (complaint !== undefined) addProblem(reading, node, `external_data_url ${complaint}`)
  return text
}

function manifestsOf(node: TreeNode, reading: Reading): readonly string[] {
  if (node.kind !== 'list' || node.items.length === 0) {
    addProblem(reading, node, 'manifests must be a list of the manifests to watch')
    return []
  }
  return node.items.flatMap((item) => {
    const text = textOf(item) ?? ''
    const complaint =
      text === '' ? 'must be a path or a URL' : complaintOf(text, /^(?:obj|https?):\/\//i, 'obj:// and http(s)://')
    if (complaint !== undefined) addProblem(reading, item, `a manifest ${complaint}`)
    // driftgate operands that begin with these characters have another meaning.
    return [/^[@-]/.test(text) ? `./${text}` : text]
  })
}

function complaintOf(text: string, fetched: RegExp, schemes: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text) && !fetched.test(text)) {
    return `must be a path or start with ${schemes}: the agent supports nothing else, not even file://`
  }
  return holdsUrlSecret(text) ? 'has a password in its URL, which is visible in the process list' : undefined
}
