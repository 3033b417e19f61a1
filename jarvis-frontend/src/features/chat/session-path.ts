/** The path of a session's page. */
export const sessionPath = '/chat/:sessionId'
