import { readlinkSync } from 'node:fs'
import { type Helper, openHelper } from './helper.ts'
import { findReadingProgram } from './programs.ts'

let helper: Helper | undefined

/** Whether any of the open files has extended attributes, ACLs and labels included; also true if that cannot be observed. */
export async function mayHaveAttributes(descriptors: readonly number[]): Promise<boolean> {
  if (helper === undefined) {
    const program = findReadingProgram()
    if (program.kind === 'unknown') return true
    helper = openHelper(program.value)
  }
  // The id by which the mounted /proc knows this process, also if that is of another namespace.
  const own = readlinkSync('/proc/self')
  const answers = await helper.ask(descriptors.map((descriptor) => `*/proc/${own}/fd/${descriptor}`))
  return answers.kind === 'unknown' || answers.value.some((line) => line !== '=0')
}
