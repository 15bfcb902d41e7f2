// How sudo asks, and whom it does not ask.

export const sudoers = {
  kinds: ['sudoers'],
  translate({ params: { absent, default: option, op, value } }) {
    if (absent !== undefined)
      return [absent].flat().map((each) => of(each.replace(/^Defaults /, '').replace(/:$/, ''), { ensure: 'absent' }))
    if (op === 'between')
      return [of(`Defaults.${option}`, { value: { at_least: Number(value[0]), at_most: Number(value[1]) } })]
    return op === undefined && option !== undefined ? [of(`Defaults.${option}`, { value: String(value) })] : undefined
  },
}

function of(key, properties) {
  return { type: 'setting', name: `sudoers:${key}`, properties }
}
