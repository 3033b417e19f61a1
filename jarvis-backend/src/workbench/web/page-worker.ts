import { parentPort, workerData } from 'node:worker_threads'
import { pageText } from './page-text.ts'

/** The thread that makes Markdown of one page. It is ended if it takes too long, so it keeps nothing. */
const { html, address } = workerData as { html: string; address: string }
parentPort?.postMessage('ready')
parentPort?.postMessage(pageText(html, address))
