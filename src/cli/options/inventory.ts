import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { decodeUtf8 } from '../../policy/document/text.ts'
import { reasonOf } from '../../policy/fetch/files.ts'
import { readFileBytes } from '../../policy/fetch/text-file.ts'
import { chooseTargets } from '../../remote/inventory/choose.ts'
import type { Inventory } from '../../remote/inventory/inventory.ts'
import { passedOverOf, readAnyInventory } from '../../remote/inventory/read-any.ts'
import { resolveIn } from './locate.ts'
import { type ChosenTarget, locateTarget, refusedSpec, specOf, targetComplaint } from './target.ts'
import { defined } from '../../model/defined.ts'
import { runCommand } from '../../host/live/run-command.ts'
import type { Listed } from '../../remote/inventory/ansible/read-ansible.ts'
import { NAMES_A_SECRET } from '../../remote/inventory/ansible/variables.ts'

/** Larger output is not an inventory. */
const MAX_OUTPUT = 2 ** 28

/** Without these settings, Ansible treats an unreadable inventory as empty. */
const STRICT = { ANSIBLE_INVENTORY_UNPARSED_FAILED: 'true', ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED: 'true' }

const WITHHELD = 'a message is hidden because it may contain a secret: run "ansible-inventory --list"'

/** Targets selected from an inventory. */
export interface ChosenOfFile {
  readonly targets: readonly [ChosenTarget, ...ChosenTarget[]]
  /** Ignored parts of the inventory. */
  readonly warnings: readonly Problem[]
}

/**
 * Targets of an inventory file that match the selectors. Paths are relative to the file. Throws an `OperatorError` for
 * a missing or invalid file, or without a match.
 */
export async function targetsOfInventory(file: string, selectors: readonly string[]): Promise<ChosenOfFile> {
  const read = await load(file)
  if (!read.ok) throw new OperatorError(`the inventory ${file} is not valid`, { problems: read.problems })
  const chosen = chooseTargets(read.value, selectors.flatMap(splitSelectors))
  if (chosen.kind === 'refused') throw new OperatorError(`--on: ${chosen.message}`)
  const [first, ...others] = chosen.targets.map(
    ({ spec, refused, passedOver: _passedOver, ...target }): ChosenTarget => ({
      ...target,
      ...(refused.length === 0
        ? { spec: specOf(locateTarget(spec, (path) => resolveIn(dirname(file), path))) }
        : { spec: refusedSpec(spec), refused: refused.map(inWords).join('; ') }),
    }),
  )
  if (first === undefined) throw new OperatorError(`the inventory ${file} has no target`)
  return { targets: [first, ...others], warnings: [...read.warnings, ...passedOverOf(file, chosen.targets)] }
}

function inWords({ message, position }: Problem): string {
  return position === undefined ? message : `${position.file}:${position.line}: ${message}`
}

async function load(file: string): Promise<Result<Inventory>> {
  const read = readText(file)
  if ('reason' in read) throw new OperatorError(`--targets: ${file} cannot be read: ${read.reason}`)
  if ('message' in read) return { ok: false, problems: [read] }
  return readAnyInventory(file, read.text, {
    complain: targetComplaint,
    list: askAnsible,
    isRoot: process.geteuid?.() === 0,
  })
}

/** Text of a file; undefined for a directory. */
function readText(file: string): { readonly text: string | undefined } | { readonly reason: string } | Problem {
  try {
    if (statSync(file).isDirectory()) return { text: undefined }
    const text = decodeUtf8(file, readFileBytes(file))
    return typeof text === 'string' ? { text } : text
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function splitSelectors(text: string): readonly string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw new OperatorError(`--on: empty selector in "${text}"`)
  return selectors
}

/** Lists the inventory at a path (file or directory) with the installed `ansible-inventory`. */
async function askAnsible(path: string): Promise<Listed> {
  const ended = await runCommand({
    argv: ['ansible-inventory', '--inventory', path, '--list'],
    workingDirectory: process.cwd(),
    environment: { ...defined(process.env), ...STRICT, ANSIBLE_NOCOLOR: 'true' },
    maxOutputBytes: MAX_OUTPUT,
    signal: new AbortController().signal,
  })
  switch (ended.kind) {
    case 'exited': {
      const said = messagesIn(ended.stderr)
      if (ended.exitCode === 0) return { text: ended.stdout, warnings: said }
      return { reason: said.join('; ') || `ansible-inventory exited with ${ended.exitCode} without a message` }
    }
    case 'not-started':
      return { reason: `cannot start ansible-inventory, which reads it: ${ended.message}; install ansible-core` }
    default:
      return { reason: `ansible-inventory did not finish: ${ended.reason}` }
  }
}

/** Messages of Ansible, one line each, without quoted inventory lines. */
function messagesIn(text: string): readonly string[] {
  return text
    .split(/^(?=\[WARNING\]|ERROR!|\[ERROR\])/m)
    .map((message) => message.replaceAll(/\s+/g, ' ').trim())
    .filter((message) => /^(?:\[WARNING\]|\[ERROR\]|ERROR!)/.test(message))
    .map((message) => message.replace(/ The offending line appears to be:.*$/, ''))
    .map((message) => (isSilent(message) ? WITHHELD : message))
}

function isSilent(message: string): boolean {
  return NAMES_A_SECRET.test(message.replace('no vault secrets found', ''))
}
