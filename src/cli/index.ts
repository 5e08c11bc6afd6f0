/**
 * cli/: the commands of `payment-gateway`, a file each; main.ts says which there are. It composes the other rooms, but for
 * activities/, calls/, nexus/, workflows/ and testing/, and takes the worker from worker.ts. dev/ holds what
 * `payment-gateway dev` needs; testing/ uses its development server, and no other room imports cli/.
 */
export {};
