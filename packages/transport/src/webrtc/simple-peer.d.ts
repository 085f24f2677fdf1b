/** The prebuilt bundle of simple-peer. It has the same API and needs no Node shims in a bundler. */
declare module "simple-peer/simplepeer.min.js" {
  import SimplePeer from "simple-peer";
  export default SimplePeer;
}
