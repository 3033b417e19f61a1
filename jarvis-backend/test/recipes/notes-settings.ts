import { z } from 'zod'
import { defineSettings } from '../../src/config/setting.ts'

export const noteSettings = defineSettings({
  JARVIS_NOTES_KEY: {
    section: 'Server',
    schema: z.string().min(16, 'must be a key of the notes, for example 0123456789abcdef').optional(),
    secret: true,
    default: 'none',
    about: 'the key of the server that keeps notes about nodes',
    example: '',
  },
})
