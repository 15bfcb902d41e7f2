import { trimBlanksOfC, withBlanksOfC } from '../../settings/blanks.ts'

/** Effect of an `install` line: it loads no module, or the effect is unknown without running it. */
export type InstallEffect = 'loads-nothing' | 'unclear'

/** Programs that load no module, with any exit code: modprobe runs them instead of loading it. */
const IDLE = /^(?:(?:\/usr)?\/s?bin\/)?(?:true|false)$|^:$|^exit$/

/** Arguments that the shell of the line does not expand. */
const PLAIN = /^[\w./:=,-]*$/

/** Effect of the shell command of an `install` line. */
export function effectOfInstall(command: string): InstallEffect {
  const [program = '', ...args] = trimBlanksOfC(command)
    .replace(withBlanksOfC(/(?:^|\s)#.*$/), '')
    .split(/[\t ]+/)
  return IDLE.test(program) && args.every((word) => PLAIN.test(word)) ? 'loads-nothing' : 'unclear'
}
