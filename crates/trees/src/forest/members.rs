//! The trees of a forest as models of their own.

use super::grow_forest::Forest;
use super::{ExtraTreesClassifier, ExtraTreesRegressor, ForestClassifierModel, ForestRegressorModel};
use crate::cart::classifier::{DecisionTreeClassifier, DecisionTreeClassifierModel};
use crate::cart::regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel};
use crate::cart::tree::Tree;
use mercer_core::{Certificate, Learn, Members, Model, Result, Termination, Trained, Value};
use std::any::Any;

impl Forest {
    /// Tree `t`, which there is, and what can be said of how it was grown.
    fn member(&self, t: usize) -> (Tree, Certificate) {
        let why = "no evidence: a tree of a forest, grown on a bag of its rows";
        (Tree::unpacked(&self.packed, t), Certificate::without_evidence(Termination::Complete, why))
    }
}

/// The model of a member of `whole`, made by a learner with those of its parameters that are its own, too.
fn assembled<L: Learn + Default>(whole: &dyn Model, model: L::Model) -> Result<Box<dyn Model>> {
    let mut learner = L::default();
    let forest: &dyn Any = whole.learner();
    if forest.is::<ExtraTreesClassifier>() || forest.is::<ExtraTreesRegressor>() {
        learner.set("splitter", &Value::from("random"))?;
    }
    for param in &L::declaration().params {
        if let Ok(value) = whole.learner().get(param.name) {
            // Weights of classes in a bag are the forest's alone.
            let _ = learner.set(param.name, &value);
        }
    }
    Ok(Trained::assembled(&learner, model, whole.schema().clone(), whole.seed())?.into_model())
}

impl Members for ForestClassifierModel {
    fn n_members(&self) -> usize {
        self.trees().n_trees()
    }

    fn member(&self, t: usize, whole: &dyn Model) -> Result<Box<dyn Model>> {
        let (tree, certificate) = self.forest.member(t);
        let model = DecisionTreeClassifierModel { tree, classes: self.classes.clone(), certificate };
        assembled::<DecisionTreeClassifier>(whole, model)
    }
}

impl Members for ForestRegressorModel {
    fn n_members(&self) -> usize {
        self.trees().n_trees()
    }

    fn member(&self, t: usize, whole: &dyn Model) -> Result<Box<dyn Model>> {
        let (tree, certificate) = self.forest.member(t);
        let model = DecisionTreeRegressorModel { tree, absolute: self.absolute, certificate };
        assembled::<DecisionTreeRegressor>(whole, model)
    }
}
