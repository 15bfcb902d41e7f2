import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { iptablesAddition, withIptablesLines } from '../rules/iptables-file.ts'
import type { AddressFamily } from '../rules/packets.ts'
import { rulesetOf } from '../rules/whole.ts'
import type { FirewallChange, JudgeRules } from '../firewall.ts'
import {
  type Bench,
  type FileBefore,
  readBefore,
  rewriteStep,
  runProgram,
  runSilently,
  neverAborted,
  withScratch,
} from './bench.ts'
import type { Step, Steps } from './steps.ts'
import { IPTABLES_FILES } from './stored.ts'

const PROGRAMS: Readonly<Record<AddressFamily, string>> = { ip: 'iptables', ip6: 'ip6tables' }

/** Adds rules to what netfilter-persistent loads and to the kernel, one family after another, or loads the files again. */
export async function iptablesSteps(change: FirewallChange, judge: JudgeRules, bench: Bench): Promise<Steps> {
  const { added, halves } = change
  const files: { readonly family: AddressFamily; readonly before: FileBefore; readonly after: string }[] = []
  for (const family of ['ip', 'ip6'] as const) {
    const before = storedFile(family)
    if ('problem' in before) return before
    const changes = halves.stored && added.families.includes(family)
    const after = changes ? withIptablesLines(before.text ?? '', added, family) : (before.text ?? '')
    files.push({ family, before, after })
  }
  const problem = halves.stored ? await problemWith(files, judge, bench) : undefined
  if (problem !== undefined) return { problem }
  const written = files.filter(({ before, after }) => after !== (before.text ?? ''))
  const changed = files.filter(({ family }) => added.families.includes(family))
  return [
    ...written.map(({ before, after }) => rewriteStep(before, after, bench)),
    ...(halves.inForce === 'added'
      ? changed.map(({ family }) => restoreStep(family, { text: iptablesAddition(added, family), keeps: true }, bench))
      : []),
    ...(halves.inForce === 'reloaded'
      ? changed.map(({ family, after }) => restoreStep(family, { text: after, keeps: false }, bench))
      : []),
  ]
}

function storedFile(family: AddressFamily): FileBefore | { readonly problem: string } {
  for (const path of IPTABLES_FILES[family]) {
    const before = readBefore(path)
    if ('problem' in before || before.text !== null) return before
  }
  const path = IPTABLES_FILES[family].find((each) => existsSync(dirname(each)))
  return path === undefined
    ? { problem: 'no service loads /etc/iptables: install iptables-persistent' }
    : { path, text: null }
}

async function problemWith(
  files: readonly { readonly family: AddressFamily; readonly after: string }[],
  judge: JudgeRules,
  { signal }: Bench,
): Promise<string | undefined> {
  for (const { family, after } of files) {
    if (after === '') continue
    const refused = await withScratch(after, (file) =>
      runSilently([`${PROGRAMS[family]}-restore`, '--test', file], signal),
    )
    if (refused !== undefined) return `the stored rules are unchanged: ${refused}`
  }
  const texts = Object.fromEntries(files.map(({ family, after }) => [family, after]))
  const rules = rulesetOf({ translated: texts })
  const wrong = rules === undefined ? 'iptables-restore would not load the new rules' : judge(rules)
  return wrong && `the stored rules are unchanged: ${wrong}`
}

/** Each family is one transaction; all its rules are saved before, and restored from that. */
function restoreStep(
  family: AddressFamily,
  { text, keeps }: { readonly text: string; readonly keeps: boolean },
  { signal }: Bench,
): Step {
  const [save, restore] = [`${PROGRAMS[family]}-save`, `${PROGRAMS[family]}-restore`]
  let before: string | undefined
  return {
    async carryOut() {
      const saved = await runProgram([save], signal)
      if ('problem' in saved) return saved.problem
      before = saved.printed.includes('*filter') ? saved.printed : `${EMPTY}${saved.printed}`
      const options = keeps ? ['-n'] : []
      return withScratch(text, async (file) => {
        const refused = await runSilently([restore, ...options, '--test', file], signal)
        return refused ?? runSilently([restore, ...options, file], signal)
      })
    },
    async takeBack() {
      return before === undefined
        ? undefined
        : withScratch(before, (file) => runSilently([restore, file], neverAborted()))
    },
  }
}

const EMPTY = '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n'
