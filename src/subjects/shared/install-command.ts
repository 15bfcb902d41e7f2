/** What an install line comes to: nothing is loaded, or that is unknown without running it. */
export type InstallEffect = 'loads-nothing' | 'unclear'

/** Programs that load nothing, whether they fail or not: modprobe runs them in place of loading the module. */
const IDLE = /^(?:(?:\/usr)?\/s?bin\/)?(?:true|false)$|^:$|^exit$/

/** Arguments that a shell, which runs the line, takes as they are. */
const PLAIN = /^[\w./:=,-]*$/

/** What the command of an install line does, which a shell runs. */
export function effectOfInstall(command: string): InstallEffect {
  const [program = '', ...args] = command
    .trim()
    .replace(/(?:^|\s)#.*$/, '')
    .split(/[\t ]+/)
  return IDLE.test(program) && args.every((word) => PLAIN.test(word)) ? 'loads-nothing' : 'unclear'
}
