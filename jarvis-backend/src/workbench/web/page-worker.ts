import { parentPort, workerData } from 'node:worker_threads'
import { pageText } from './page-text.ts'

/** The thread that converts one page to Markdown. It may be ended at any time because of its time limit, so it stores nothing. */
const { html, address } = workerData as { html: string; address: string }
parentPort?.postMessage('ready')
parentPort?.postMessage(pageText(html, address))
