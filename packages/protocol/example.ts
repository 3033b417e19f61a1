import { chatRequests } from 'protocol'

/** Tests if a message without text is a valid request. */
export const example = (): boolean => chatRequests['chat:send'].safeParse({ message: '' }).success
