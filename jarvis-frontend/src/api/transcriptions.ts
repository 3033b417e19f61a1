import { call } from './http.ts'

/** Turns a recording into text. @param base64 what it holds @throws ApiError */
export const transcribe = (name: string, base64: string) =>
  call<{ text: string }>('POST', '/api/transcriptions', { name, data: base64 })
