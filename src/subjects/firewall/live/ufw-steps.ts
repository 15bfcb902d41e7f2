import { ufwCommands } from '../rules/ufw-commands.ts'
import type { FirewallChange } from '../firewall.ts'
import { type Bench, type FileBefore, readBefore, rewriteStep, runSilently, neverAborted } from './bench.ts'
import type { Problem, Step, Steps } from './steps.ts'

/** What ufw writes its rules and policies to. */
const FILES = ['/etc/default/ufw', '/etc/ufw/user.rules', '/etc/ufw/user6.rules']

/** Tells ufw about rules and a policy, which it stores and loads, or has it load what is stored. */
export async function ufwSteps({ added, halves }: FirewallChange, bench: Bench): Promise<Steps> {
  const { signal } = bench
  if (halves.inForce === 'reloaded')
    return [{ carryOut: () => runSilently(['ufw', 'reload'], signal), takeBack: reload }]
  const commands = ufwCommands(added)
  for (const words of commands) {
    const refused = await runSilently(['ufw', '--dry-run', ...words], signal)
    if (refused !== undefined) return { problem: refused }
  }
  const files: FileBefore[] = []
  for (const path of FILES) {
    const before = readBefore(path)
    if ('problem' in before) return before
    files.push(before)
  }
  const telling: Step = {
    async carryOut() {
      for (const words of commands) {
        const refused = await runSilently(['ufw', ...words], signal)
        if (refused !== undefined) return refused
      }
      return undefined
    },
    async takeBack() {
      for (const file of files) {
        const trouble = await rewriteStep(file, file.text ?? '', bench).carryOut()
        if (trouble !== undefined) return trouble
      }
      return reload()
    },
  }
  return [telling]
}

function reload(): Promise<Problem> {
  return runSilently(['ufw', 'reload'], neverAborted())
}
