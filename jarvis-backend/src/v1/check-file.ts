import type { CheckFile } from 'openai-door/turn'
import { fileOf } from '../agent/attachments.ts'

/** Checks a file of a request as the session will check it later. */
export const checkFile: CheckFile = (file) => fileOf(file, (text) => text).attachment
