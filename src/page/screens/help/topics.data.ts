// The topics of the handbook, in the order in which people need them. A test compares them with the files.
export const TOPICS = [
  ...(['operation', 'miners', 'security', 'installation', 'configuration'] as const),
  ...(['interface', 'drivers', 'postgres', 'architecture', 'changelog'] as const),
] as const;
export type Topic = (typeof TOPICS)[number];

export const isTopic = (name: string): name is Topic => TOPICS.some((topic) => topic === name);
