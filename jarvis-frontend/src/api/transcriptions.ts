import { call } from './http.ts'

/** Turns a recording into text. @param base64 the content of the recording @throws ApiError */
export const transcribe = (name: string, base64: string) =>
  call<{ text: string }>('POST', '/api/transcriptions', { name, data: base64 })
