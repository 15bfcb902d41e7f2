import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import process from 'node:process'
import {
  loadPolicy,
  type LoadPolicyOptions,
  type Policy,
  type Problem,
  type ResourceResult,
  type Run,
  scan,
  type ScanOptions,
} from '../../src/index.ts'

/** A user without any rights. */
export const NOBODY = 65_534

/** What a policy says about files that the running user could own: `owner` and `group`, as YAML. */
export const MINE: string = `owner: "${userInfo().uid}", group: "${userInfo().gid}"`

/** The lines of a policy with these file resources, one per text: `- /path: { ... }`. */
export function fileResources(...resources: readonly string[]): string {
  return resourcesOf('file', resources)
}

/** The text of a policy with one resource of that type. */
export function oneResource(type: string, name: string, body: Readonly<Record<string, unknown>>): string {
  return resourcesOf(type, [`- ${JSON.stringify({ [name]: body })}`])
}

function resourcesOf(type: string, resources: readonly string[]): string {
  return ['ccm:', '  resources:', `    - ${type}:`, ...resources.map((text) => `        ${text}`), ''].join('\n')
}

/** Reads the policy a text is, as a file in that directory. */
export async function load(
  directory: string,
  text: string,
  options: LoadPolicyOptions = {},
): ReturnType<typeof loadPolicy> {
  const file = join(directory, 'policy.yaml')
  writeFileSync(file, text)
  return await loadPolicy(file, options)
}

/** The policies of a text that is sound; throws with its problems if it is not. */
export async function loadSound(
  directory: string,
  text: string,
  options: LoadPolicyOptions = {},
): Promise<readonly Policy[]> {
  const loaded = await load(directory, text, options)
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.value
}

/** The problems of a text, as `line:column message`. */
export async function problemsOf(directory: string, text: string): Promise<readonly string[]> {
  const loaded = await load(directory, text)
  return loaded.ok ? [] : loaded.problems.map(formatPlace)
}

function formatPlace({ message, position }: Problem): string {
  return position === undefined ? message : `${position.line}:${position.column} ${message}`
}

/** Reads a policy and scans this machine with it. */
export async function scanWith(
  directory: string,
  text: string,
  options: ScanOptions & LoadPolicyOptions = {},
): Promise<Run> {
  return await scan(await loadSound(directory, text, options), options)
}

export function resultsOf(run: Run): readonly ResourceResult[] {
  return run.policies.flatMap(({ resources }) => resources)
}

/** The only result of a run. Throws if there are more or none. */
export function resultOf(run: Run): ResourceResult {
  const [result, ...others] = resultsOf(run)
  if (result === undefined || others.length > 0) throw new Error(`expected one result: ${JSON.stringify(run)}`)
  return result
}

/** Does work with the rights of a user who has none. Only root can. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
