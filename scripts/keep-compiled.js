import module from 'node:module'
import { fileURLToPath } from 'node:url'

/*
 * Keeps what V8 compiled of the server beside the server, so that the next start takes two thirds of the time. Node 22 and newer can; 20 compiles each
 * time. Who may write in this folder may change the server itself.
 */
module.enableCompileCache?.(fileURLToPath(new URL('../jarvis-backend/dist/compiled', import.meta.url)))
