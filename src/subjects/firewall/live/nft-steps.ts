import { withNftCommands, nftCommands } from '../rules/nft-block.ts'
import type { FirewallChange, JudgeRules } from '../firewall.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'
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
import type { Problem, Step, Steps } from './steps.ts'
import { NFT_FILES, tryNftFile } from './stored.ts'

/** Adds rules to the file of nftables.service and to the kernel, or loads the file again. */
export async function nftSteps(change: FirewallChange, judge: JudgeRules, bench: Bench): Promise<Steps> {
  const { added, place, halves } = change
  const commands = nftCommands(added, place)
  const steps: Step[] = []
  const file = storedFile()
  if ('problem' in file) return file
  if (halves.stored) {
    const candidate = withNftCommands(file.text ?? '', commands)
    const problem = await withScratch(candidate, async (path): Promise<Problem> => {
      const tried = await tryNftFile(path, { searchPath: SYSTEM_PATH, signal: bench.signal })
      const wrong = tried.kind === 'unknown' ? tried.detail.replace(path, 'the new file') : judge(tried.value)
      return wrong && `${file.path} is unchanged: ${wrong}`
    })
    if (problem !== undefined) return { problem }
    steps.push(rewriteStep(file, candidate, bench))
  }
  if (halves.inForce === 'added') steps.push(addStep(commands, change, bench))
  if (halves.inForce === 'reloaded') steps.push(await reloadStep(file.path, bench))
  return steps
}

function storedFile(): FileBefore | { readonly problem: string } {
  for (const path of NFT_FILES) {
    const before = readBefore(path)
    if ('problem' in before || before.text !== null) return before
  }
  return { problem: `nftables.service has no file to load: neither ${NFT_FILES.join(' nor ')} exists` }
}

/** All commands are one transaction. What was added is taken back by the numbers that the kernel gave it. */
function addStep(commands: readonly string[], { place }: FirewallChange, { signal }: Bench): Step {
  let undo: readonly string[] = []
  const at = `${place.family} ${place.table} ${place.name}`
  return {
    carryOut: async () => {
      const before = await runProgram(['nft', 'list', 'ruleset'], signal)
      if ('problem' in before) return before.problem
      return withScratch(`${commands.join('\n')}\n`, async (file) => {
        const refused = await runSilently(['nft', '-c', '-f', file], signal)
        if (refused !== undefined) return refused
        const loaded = await runProgram(['nft', '-e', '-a', '-f', file], signal)
        if ('problem' in loaded) return loaded.problem
        undo = [...deletionsOf(loaded.printed), ...chainAsBefore(before.printed)]
        return undefined
      })
    },
    takeBack: () => takeBackAll(undo),
  }

  function chainAsBefore(listing: string): readonly string[] {
    const start = `table ${place.family} ${place.table} {\n`
    const [, table] = `\n${listing}`.split(`\n${start}`)
    if (table === undefined) return [`delete table ${place.family} ${place.table}`]
    const [own = ''] = table.split('\n}')
    const [, head] = new RegExp(`\\tchain ${place.name} \\{\\n\\t\\t(type [^\\n]*)\\n`).exec(own) ?? []
    return head === undefined ? [`delete chain ${at}`] : [`add chain ${at} { ${head} }`]
  }
}

/** A rule may have been removed meanwhile, which must not keep the rest from being taken back. */
async function takeBackAll(commands: readonly string[]): Promise<Problem> {
  if (commands.length === 0 || (await loadText(`${commands.join('\n')}\n`)) === undefined) return undefined
  const problems: string[] = []
  for (const command of commands) {
    const problem = await loadText(`${command}\n`)
    if (problem !== undefined && !command.startsWith('delete ')) problems.push(problem)
  }
  return problems[0]
}

async function noProblem(): Promise<undefined> {
  return undefined
}

function deletionsOf(echo: string): readonly string[] {
  return echo.split('\n').flatMap((line) => {
    const [, chain, handle] = /^(?:add|insert) rule (\S+ \S+ \S+) .*# handle (\d+)$/.exec(line) ?? []
    return chain === undefined ? [] : [`delete rule ${chain} handle ${handle}`]
  })
}

/** The file in place of all rules, in one transaction; and back. */
async function reloadStep(file: string, { signal }: Bench): Promise<Step> {
  let before: string | undefined
  return {
    async carryOut() {
      const listed = await runProgram(['nft', 'list', 'ruleset'], signal)
      if ('problem' in listed) return listed.problem
      const refused = await runSilently(['nft', '-c', '-f', file], signal)
      if (refused !== undefined) return refused
      before = listed.printed
      return runSilently(['nft', '-f', file], signal)
    },
    takeBack: () => (before === undefined ? noProblem() : loadText(`flush ruleset\n${before}`)),
  }
}

function loadText(text: string): Promise<Problem> {
  return withScratch(text, (file) => runSilently(['nft', '-f', file], neverAborted()))
}
