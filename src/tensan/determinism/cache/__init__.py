"""Results of stages that are kept between runs, in plain files, and are never read where they would be made otherwise now."""
