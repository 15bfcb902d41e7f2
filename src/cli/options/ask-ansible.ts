import process from 'node:process'
import { defined } from '../../model/defined.ts'
import { runCommand } from '../../host/live/run-command.ts'
import type { Listed } from '../../remote/inventory/ansible/read-ansible.ts'
import { NAMES_A_SECRET } from '../../remote/inventory/ansible/variables.ts'

/** Larger output is not an inventory. */
const MAX_OUTPUT = 2 ** 28

/** Without these settings, Ansible treats an unreadable inventory as empty. */
const STRICT = { ANSIBLE_INVENTORY_UNPARSED_FAILED: 'true', ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED: 'true' }

/** Lists the inventory at a path (file or directory) with the installed `ansible-inventory`. */
export async function askAnsible(path: string): Promise<Listed> {
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

const WITHHELD = 'a message is hidden because it may contain a secret: run "ansible-inventory --list"'

function isSilent(message: string): boolean {
  return NAMES_A_SECRET.test(message.replace('no vault secrets found', ''))
}
