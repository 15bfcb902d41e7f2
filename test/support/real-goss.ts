import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { text as textOf } from 'node:stream/consumers'

const VERSION = '0.4.9'

const MODULE = `module realgoss

go 1.22

require github.com/goss-org/goss v${VERSION}
`

/** Go leaves out of a module what nothing imports. */
const IMPORTS = `//go:build tools

package tools

import _ "github.com/goss-org/goss/cmd/goss"
`

/** How long the module may take to come and be built, in milliseconds. */
const BUILD_MS = 150_000

export interface GossAnswer {
  readonly type: string
  readonly id: string
  readonly attribute: string
  readonly verdict: 'pass' | 'fail' | 'skip'
  /** What it measured; `null` where it did not. */
  readonly actual: unknown
  /** Why it could not look or compare. */
  readonly error: string | undefined
}

/** The real Goss, or the reason why it is missing. It is built once a machine and kept beside the booted hosts. */
export function findRealGoss(): { readonly program: string } | { readonly missing: string } {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'driftgate')
  const program = join(cache, `goss-${VERSION}`)
  if (existsSync(program)) return { program }
  if (spawnSync('go', ['version']).status !== 0) return { missing: 'needs Go' }
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-goss-'))
  try {
    writeFileSync(join(directory, 'go.mod'), MODULE)
    writeFileSync(join(directory, 'tools.go'), IMPORTS)
    const args = ['build', '-mod=mod', '-o', 'goss', 'github.com/goss-org/goss/cmd/goss']
    const built = spawnSync('go', args, { cwd: directory, timeout: BUILD_MS, encoding: 'utf8' })
    if (built.status !== 0) return { missing: `Go cannot build it: ${built.stderr.trim().split('\n').at(-1) ?? ''}` }
    mkdirSync(cache, { recursive: true })
    // In one step, for two workers may build it at a time.
    const staged = mkdtempSync(join(cache, 'goss-'))
    execFileSync('cp', [join(directory, 'goss'), join(staged, 'goss')])
    renameSync(join(staged, 'goss'), program)
    rmSync(staged, { recursive: true })
    return { program }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * What the real Goss says of a document of JSON, in the order of types, ids and attributes. Not synchronous, because servers
 * of the test may be asked.
 */
export async function askRealGoss(
  program: string,
  document: unknown,
  environment: NodeJS.ProcessEnv,
): Promise<readonly GossAnswer[]> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-goss-'))
  try {
    // JSON is YAML, and only there Goss reads whole numbers as such.
    writeFileSync(join(directory, 'goss.yaml'), JSON.stringify(document))
    const args = ['-g', 'goss.yaml', '--log-level', 'ERROR', 'validate', '-f', 'json', '-o', 'sort', '--no-color']
    const child = spawn(program, args, { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
    const { results } = JSON.parse(await textOf(child.stdout)) as { readonly results: readonly Result[] }
    return results.map(answerOf)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

interface Result {
  readonly 'resource-type': string
  readonly 'resource-id': string
  readonly property: string
  readonly result: 0 | 1 | 2
  readonly err: string | null
  readonly 'matcher-result': { readonly actual: unknown }
}

function answerOf(result: Result): GossAnswer {
  const type = result['resource-type']
  return {
    type: TYPES[type] ?? type.toLowerCase(),
    id: result['resource-id'],
    attribute: ATTRIBUTES[result.property] ?? result.property,
    verdict: (['pass', 'fail', 'skip'] as const)[result.result],
    actual: result['matcher-result'].actual,
    error: result.err ?? undefined,
  }
}

/** Where the report calls things otherwise than documents do. */
const TYPES: Readonly<Record<string, string>> = { KernelParam: 'kernel-param' }

const ATTRIBUTES: Readonly<Record<string, string>> = {
  linkedto: 'linked-to',
  version: 'versions',
  Headers: 'headers',
  Body: 'body',
}
