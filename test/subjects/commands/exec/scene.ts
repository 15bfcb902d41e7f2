import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceResult } from '../../../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../../../src/engine/run.ts'
import { loadPolicy } from '../../../../src/policy/load.ts'
import { resourceTypes } from '../../../support/resource-types.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

type Properties = Readonly<Record<string, unknown>>

/** A directory with a policy, whose resources are JSON, which is YAML too. */
export interface Scene {
  readonly directory: string
  readonly path: (name: string) => string
  /** Writes an executable shell script and returns its path. */
  readonly script: (name: string, lines: string) => string
  readonly exists: (name: string) => boolean
  readonly read: (name: string) => string
  /** The results of all resources, in order: each resource is a type with its properties. */
  readonly run: (resources: readonly Properties[], options?: Options) => Promise<readonly ResourceResult[]>
  /** The result of an audit of one exec. */
  readonly audit: (properties: Properties, options?: Options) => Promise<ResourceResult>
  /** The result of a fix of one exec. */
  readonly fix: (properties: Properties, options?: Options) => Promise<ResourceResult>
}

interface Options extends Partial<RunOptions> {
  readonly fix?: boolean
  /** What `data:` of the policy holds, as YAML. */
  readonly data?: string
}

export function createScene(): Scene {
  const directory = temporaryDirectory()
  const path = (name: string): string => join(directory, name)
  const run: Scene['run'] = async (resources, { fix = false, data = '{}', ...options } = {}) => {
    writeFileSync(path('p.yaml'), `data: ${data}\nccm: ${JSON.stringify({ resources })}\n`)
    const loaded = await loadPolicy(path('p.yaml'), { environ: {} })
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
    const remediator = fix ? { remediator: createLocalRemediator(NO_JOURNAL) } : {}
    const target = createLocalTarget()
    const { policies } = await runPolicies(loaded.value, { target, types: resourceTypes, ...remediator, ...options })
    return policies.flatMap((policy) => policy.resources)
  }
  const one = async (properties: Properties, options: Options): Promise<ResourceResult> => {
    const [result] = await run([{ exec: { name: 'command', ...properties } }], options)
    if (result === undefined) throw new Error('there is no result')
    return result
  }
  return {
    directory,
    path,
    script(name, lines) {
      writeFileSync(path(name), `#!/bin/sh\n${lines}\n`)
      chmodSync(path(name), 0o755)
      return path(name)
    },
    exists: (name) => existsSync(path(name)),
    read: (name) => readFileSync(path(name), 'utf8'),
    run,
    audit: (properties, options = {}) => one(properties, options),
    fix: (properties, options = {}) => one(properties, { ...options, fix: true }),
  }
}
