import type { RenderOptions, Tone } from '../../report/format.ts'

/** Shows a tone on a channel. */
export type Paint = RenderOptions['paint']

interface Channel {
  readonly isTTY?: boolean | undefined
}

/**
 * Whether a channel gets colours: as FORCE_COLOR says, else not with NO_COLOR, else on a terminal that is not dumb.
 * @see https://no-color.org, and https://force-color.org for the precedence
 */
export function wantsColor({ isTTY }: Channel, env: Readonly<Record<string, string | undefined>>): boolean {
  const force = env['FORCE_COLOR']
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  return isTTY === true && env['TERM'] !== 'dumb'
}

/** The sixteen basic colours only: they follow the theme of the terminal and every CI log viewer knows them. */
export async function createPaint(inColor: boolean): Promise<Paint> {
  if (!inColor) return (_tone, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  const styles: Readonly<Record<Tone, (text: string) => string>> = {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    dim: chalk.dim,
    strong: chalk.bold,
  }
  return (tone, text) => styles[tone](text)
}
