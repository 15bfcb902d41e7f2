import type { RuleTexts } from '../rules/nft-json.ts'

/** The lines of `nft -a list ruleset` that are rules, and the flags of its tables. */
export function textsIn(listing: string): RuleTexts {
  const texts = new Map<string, string>()
  let table = ''
  for (const line of listing.split('\n')) {
    const [, family, name] = /^table (\S+) (\S+) \{/.exec(line) ?? []
    if (family !== undefined) table = `${family} ${name ?? ''}`
    const [, flags] = /^\tflags (.*)$/.exec(line) ?? []
    if (flags !== undefined) texts.set(`${table} flags`, flags)
    const [, text, handle] = /^\t\t(.*) # handle (\d+)$/.exec(line) ?? []
    if (text !== undefined && handle !== undefined) texts.set(`${table} ${handle}`, text)
  }
  return texts
}
