/** Whether a text holds something that is expanded before it is used: `{{ … }}` or `${ … }`. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('${')
}
