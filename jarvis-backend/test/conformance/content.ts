/** A red dot, and a few samples of silence. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

export const text = (words: string) => ({ type: 'text' as const, text: words })
export const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
export const audio = { type: 'audio' as const, data: wav, mimeType: 'audio/wav' }
export const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})
