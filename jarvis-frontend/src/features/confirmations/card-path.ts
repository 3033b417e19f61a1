/** Returns the path of a card: its place in its session. */
export const cardPath = (row: { sessionId: string; toolUseId: string }) =>
  `/chat/${row.sessionId}#card-${row.toolUseId}`
