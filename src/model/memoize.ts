/** Keeps what a pure function makes of a text; forgets everything once it keeps `most` results. */
export function memoizedByText<Value>(most: number, make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, { readonly value: Value }>()
  return (text) => {
    const found = made.get(text)
    if (found !== undefined) return found.value
    const value = make(text)
    if (made.size >= most) made.clear()
    made.set(text, { value })
    return value
  }
}
