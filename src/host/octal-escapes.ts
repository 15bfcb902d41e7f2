/**
 * Text without the escapes that mountinfo, mounts and fstab have in it: a backslash and three octal digits stand for a byte, so
 * what is not ASCII comes out right where each character of the text is one.
 */
export function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(String(octal), 8)))
}
