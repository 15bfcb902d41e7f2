import type { RenderOptions, Tone } from '../../report/format.ts'

/** Paints text in a tone. */
export type Paint = RenderOptions['paint']

interface Channel {
  readonly isTTY?: boolean | undefined
}

/**
 * True if a channel gets colours: FORCE_COLOR decides first, then NO_COLOR, then whether it is a capable terminal.
 *
 * @see https://no-color.org, and https://force-color.org for the precedence
 */
export function wantsColor({ isTTY }: Channel, env: Readonly<Record<string, string | undefined>>): boolean {
  const force = env['FORCE_COLOR']
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  return isTTY === true && env['TERM'] !== 'dumb'
}

/** Uses only the basic 16 colours: they follow the terminal theme, and all CI log viewers support them. */
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
