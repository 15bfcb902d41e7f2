import type { Problem } from '../core/problem.ts'
import type { Io } from './output/io.ts'

/** Shows problems on standard error, each with its place and the source line it is on. */
export async function reportProblems(problems: readonly Problem[], io: Io): Promise<void> {
  if (problems.length === 0) return
  const { problemLines } = await import('../core/format-problem.ts')
  const paint = await io.paintMessages()
  for (const problem of problems) {
    const [headline = '', ...excerpt] = problemLines(problem)
    const tone = problem.severity === 'error' ? 'bad' : 'warn'
    io.say([paint(tone, headline), ...excerpt].map((line) => `${line}\n`).join(''))
  }
}
