/**
 * Decodes the octal escapes of mountinfo, mounts and fstab. Each escape is one byte, so the text must have one
 * character per byte.
 */
export function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(String(octal), 8)))
}
