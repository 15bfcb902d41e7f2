import { createHash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { Control, Declaration } from '../../model/policy.ts'
import { errorAt, positionAt } from '../document/lines.ts'
import { decodeUtf8 } from '../document/text.ts'
import type { Confine } from '../fetch/confine.ts'
import { defaultId, nameBeside, readBeside, type SourceFile } from '../fetch/files.ts'
import { expandPaths } from '../fetch/glob.ts'
import { gossControl } from '../../subjects/goss/files/control.ts'
import {
  type BrokenGoss,
  type GossFile,
  type GossFiles,
  loadGoss,
  type PlacedResource,
  type UnopenedGoss,
} from '../../subjects/goss/files/load.ts'
import type { GossResource } from '../../subjects/goss/files/read.ts'
import type { ControlOutcome, Expander, RunnablePolicy } from '../runnable/policy.ts'
import { goss } from '../../subjects/goss/index.ts'
import type { PolicyInputs } from '../expand/inputs.ts'
import type { PolicyDocument, ReadPolicy } from '../read/policy.ts'
import type { Written } from '../read/written.ts'

/** The context of reading a Goss file. */
export interface GossReading {
  readonly inputs: PolicyInputs
  readonly confine: Confine | undefined
}

/** Reads a Goss file and its includes as a policy, with one resource for each of its own. */
export async function readGossPolicy(file: SourceFile, text: string, reading: GossReading): Promise<ReadPolicy> {
  const document = { file: file.file, text, identity: file.realPath ?? file.file, directory: file.workingDirectory }
  const includes: Include[] = []
  const { resources, broken, source, root, problems } = await loadGoss(document, filesOf(document, reading, includes))
  const isEmpty = resources.length + broken.length + problems.length === 0
  const empty = isEmpty ? [errorAt(source, 0, ASKS_FOR_NOTHING)] : []
  const placed = resources.map((each) => ({ each, declaration: declarationOf(each) }))
  const unusable = broken.map((each) => ({ each, declaration: brokenDeclaration(each) }))
  const ruledOut = new Map<string, ControlOutcome>([
    ...placed
      .filter(({ each }) => each.resource.isSkipped)
      .map(({ declaration }) => [declaration.id, SKIPPED] as const),
    ...unusable.map(({ each, declaration }) => [declaration.id, failedBy(each)] as const),
  ])
  const policy: RunnablePolicy = {
    id: defaultId(file.file),
    source: file.file,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
    workingDirectory: file.workingDirectory,
    failOnError: false,
    controls: placed.flatMap(({ each: { resource }, declaration }) => controlOf(resource, declaration)),
    resources: [...placed, ...unusable].map(({ declaration }) => declaration),
    types: [goss],
    notes: [],
    ...defined({ confine: reading.confine, expander: ruledOut.size === 0 ? undefined : rulingOut(ruledOut) }),
  }
  const written = new Map([
    ...placed.map(({ each, declaration }) => [declaration.id, writtenOf(each, declaration)] as const),
    ...unusable.map(({ each, declaration }) => [declaration.id, brokenWritten(each, declaration)] as const),
  ])
  const unusableParts = broken.flatMap((each) => each.problems)
  return {
    document: {
      policy,
      source,
      root,
      written,
      writtenIn: source,
      evaluation: undefined,
      children: [],
      includes,
      ...defined({ unusableParts: unusableParts.length === 0 ? undefined : unusableParts }),
    },
    problems: [...problems, ...empty],
  }
}

const SKIPPED: ControlOutcome = { kind: 'not-managed', because: 'skip is true' }

/** A broken file becomes a resource of its own, with an error. */
function brokenDeclaration({ file, source, offset }: BrokenGoss): Declaration {
  const name = `gossfile:${file}`
  return {
    type: goss.type,
    name,
    id: `${goss.type}#${name}`,
    properties: { name },
    require: [],
    subscribe: [],
    sensitive: false,
    position: positionAt(source, offset),
  }
}

function brokenWritten({ source, offset }: BrokenGoss, { name }: Declaration): Written {
  return { name: { kind: 'scalar', offset, value: name, text: name }, body: new Map(), source }
}

function failedBy({ problems }: BrokenGoss): ControlOutcome {
  const told = problems.map(({ position, message }) =>
    position === undefined ? message : `${position.file}:${position.line}:${position.column} ${message}`,
  )
  return { kind: 'failed', message: `this file cannot be used: ${told.join('; ')}` }
}

function controlOf(resource: GossResource, { id, name }: Declaration): readonly Control[] {
  const control = gossControl(resource)
  return control === undefined ? [] : [{ severity: 'medium', ...control, id: name, tags: [], resources: [id] }]
}

const ASKS_FOR_NOTHING = 'this Goss file has no checks, so nothing would be evaluated'

function declarationOf({ resource, source, offset }: PlacedResource): Declaration {
  const { type, key, title, given } = resource
  const name = `${type}:${key}`
  return {
    type: goss.type,
    name,
    id: `${goss.type}#${name}`,
    properties: { name, rules: { [type]: { [key]: given } } },
    require: [],
    subscribe: [],
    sensitive: false,
    position: positionAt(source, offset),
    ...defined({ alias: title }),
  }
}

function writtenOf({ offset, node, source }: PlacedResource, { name }: Declaration): Written {
  return {
    name: { kind: 'scalar', offset, value: name, text: name },
    body: new Map([['rules', { keyOffset: offset, value: node }]]),
    source,
  }
}

/** Excludes skipped and broken resources. Templates are rendered already, so nothing is left to expand. */
function rulingOut(outcomes: ReadonlyMap<string, ControlOutcome>): Expander {
  return {
    control: ({ id }) => outcomes.get(id) ?? { kind: 'managed' },
    expand: ({ properties }) => ({ kind: 'expanded', properties }),
  }
}

interface Opened extends GossFile {
  readonly directory: string
}

type Include = NonNullable<PolicyDocument['includes']>[number]

function filesOf(root: Opened, { inputs, confine }: GossReading, includes: Include[]): GossFiles {
  const directories = new Map([[root.identity, root.directory]])
  const directoryOf = ({ identity }: GossFile): string => directories.get(identity) ?? root.directory
  const { environ, environRefusal, vars = new Map() } = inputs
  return {
    worldOf: (document) => ({
      vars,
      environ,
      ...defined({ environRefusal }),
      readFile(path) {
        const full = resolve(directoryOf(document), path)
        if (!path.startsWith('/')) includes.push({ path: full, position: { file: document.file, line: 1, column: 1 } })
        return inputs.readFile(full)
      },
    }),
    async open(pattern, from, position) {
      const directory = directoryOf(from)
      const paths = await expandPaths(resolve(directory, pattern))
      if ('reason' in paths) return paths
      const opened: (GossFile | UnopenedGoss)[] = []
      for (const path of paths) {
        const refusal = confine?.(path)
        if (refusal !== undefined) return { reason: refusal }
        const name = pattern.startsWith('/') ? path : relative(directory, path)
        const file = await readBeside({ source: from.file, workingDirectory: directory }, name)
        const shown = nameBeside(from.file, name)
        if ('reason' in file) {
          if (file.isAbsent) return file
          opened.push({ file: shown, reason: file.reason })
          continue
        }
        if (!pattern.startsWith('/')) includes.push({ path, position })
        const identity = file.realPath ?? path
        directories.set(identity, file.workingDirectory)
        const text = decodeUtf8(file.file, file.bytes)
        opened.push(typeof text === 'string' ? { file: shown, text, identity } : { file: shown, reason: NOT_UTF8 })
      }
      return opened
    },
  }
}

const NOT_UTF8 = 'is not valid UTF-8: save it as UTF-8'
