// Texts that people see before they log in: there if a rule wants it, and without anything that tells what system it is.

export const content = {
  kinds: ['content'],
  translate() {
    return undefined
  },
}
