import { createRedactor } from 'redaction/redact'

const redactor = createRedactor(['correct horse battery'])

export const example = (): string => redactor.text('The token is correct horse battery, DB_PASSWORD=hunter2hunter2')
