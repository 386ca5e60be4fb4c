import { FollowedProjects } from "./followed-projects.tsx";
import { OwnProjects } from "./own-projects.tsx";

export function HomeScreen() {
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-x-10 gap-y-12 px-4 py-8 sm:px-6 sm:py-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <h1 className="sr-only">Home</h1>
      <OwnProjects />
      <FollowedProjects />
    </div>
  );
}
