/** Whether a text contains a template: `{{ … }}` or `${ … }`. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('${')
}
