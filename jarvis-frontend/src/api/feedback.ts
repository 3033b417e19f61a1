import { download } from './download.ts'
import { call, file } from './http.ts'

/** The newest feedback that the person sees. */
export const readFeedback = () => call('GET /api/feedback', { query: { limit: 200 } })
export const giveFeedback = (text: string) => call('POST /api/feedback', { body: { text } })
export const deleteFeedback = (id: string) => call('DELETE /api/feedback/:id', { params: { id } })
export const exportFeedback = () => download(file('GET /api/feedback/export'), 'jarvis-feedback.jsonl')
